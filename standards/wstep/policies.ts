// X.509 Certificate Enrollment Policy (MS-XCEP): what a client may ask for, of whom, and with what sign-in.

import { fieldsOf, hasMore, take } from '../der/fields.ts'
import { readDer, TAG } from '../der/reader.ts'
import { isUniversal, readBoolean, readOctetString, readOid } from '../der/values.ts'
import { NAMESPACES, nil, SoapFault } from '../soap/soap.ts'
import type { Extension } from '../x509/extension-types.ts'
import { encodeExtension } from '../x509/extensions.ts'
import { OIDS } from '../x509/oids.ts'
import type { XmlElement } from '../xml/read.ts'
import { element, type Written } from '../xml/write.ts'

const POLICY = 'http://schemas.microsoft.com/windows/pki/2009/01/enrollmentpolicy'

export const XCEP_ACTION = `${POLICY}/IPolicy/GetPolicies`
export const XCEP_ANSWER = `${POLICY}/IPolicy/GetPoliciesResponse`

/** MS-XCEP 3.1.4.1.3.5 */
export const SIGN_INS = { anonymous: 1, kerberos: 2, password: 4, certificate: 8 } as const

/** Throws SoapFault. What the client tells of itself and filters by is passed over: the answer is short. */
export function readGetPolicies(content: XmlElement): void {
  if (content.namespace !== POLICY || content.name !== 'GetPolicies') throw new SoapFault('The body holds no GetPolicies')
}

/** Keys that Windows makes: by the identifier of what it calls algorithm. */
export const WINDOWS_KEYS: Readonly<Record<string, { algorithm: string; name: string; bits: number }>> = {
  'RSA-2048': { algorithm: OIDS.rsaEncryption, name: 'RSA', bits: 2048 },
  'RSA-3072': { algorithm: OIDS.rsaEncryption, name: 'RSA', bits: 3072 },
  'RSA-4096': { algorithm: OIDS.rsaEncryption, name: 'RSA', bits: 4096 },
  'P-256': { algorithm: OIDS['P-256'], name: 'ECDSA_P256', bits: 256 },
  'P-384': { algorithm: OIDS['P-384'], name: 'ECDSA_P384', bits: 384 },
  'P-521': { algorithm: OIDS['P-521'], name: 'ECDSA_P521', bits: 521 },
}

export interface Policy {
  /** the same at each address that answers the same */
  policyId: string
  friendlyName: string
  template: {
    oid: string
    name: string
    majorRevision: number
    minorRevision: number
    validitySeconds: number
    renewalSeconds: number
    /** of WINDOWS_KEYS */
    key: string
    isForMachines: boolean
    /** somebody must agree to each */
    isPending: boolean
    /** what a request asks for by itself */
    extensions: readonly Extension[]
  }
  authority: {
    certificate: Uint8Array
    uris: readonly { signIn: keyof typeof SIGN_INS; uri: string; renewalOnly: boolean }[]
  }
}

/** So often clients look whether something has changed. */
const NEXT_UPDATE_HOURS = 8
const POLICY_SCHEMA = 3

// MS-CRTD 2.4, 2.26, 2.28
const FLAGS = { machine: 0x40, autoEnrollment: 0x20, pending: 0x2, altRequireDns: 0x0800_0000, commonName: 0x4000_0000 } as const

export function writePolicies({ policyId, friendlyName, template, authority }: Policy): Written {
  const { key, isForMachines, extensions } = template
  const kind = WINDOWS_KEYS[key]
  if (kind === undefined) throw new RangeError(`Windows makes no keys of the kind ${key}`)
  const oids: { value: string; group: number; name: string }[] = []
  const reference = (value: string, group: number, name: string): number => {
    const at = oids.findIndex((one) => one.value === value && one.group === group)
    return at >= 0 ? at + 1 : oids.push({ value, group, name })
  }
  const attributes = element('attributes', [
    element('commonName', template.name),
    element('policySchema', POLICY_SCHEMA),
    element('certificateValidity', [
      element('validityPeriodSeconds', template.validitySeconds),
      element('renewalPeriodSeconds', template.renewalSeconds),
    ]),
    element('permission', [element('enroll', true), element('autoEnroll', true)]),
    element('privateKeyAttributes', [
      element('minimalKeyLength', kind.bits),
      nil('keySpec'),
      nil('keyUsageProperty'),
      nil('permissions'),
      element('algorithmOIDReference', reference(kind.algorithm, 3, kind.name)),
      nil('cryptoProviders'),
    ]),
    element('revision', [element('majorRevision', template.majorRevision), element('minorRevision', template.minorRevision)]),
    nil('supersededPolicies'),
    element('privateKeyFlags', 0),
    // Without the flag that the requester names the subject: the certificate names whom the directory knows.
    element('subjectNameFlags', isForMachines ? FLAGS.altRequireDns : FLAGS.commonName),
    element('enrollmentFlags', FLAGS.autoEnrollment | (template.isPending ? FLAGS.pending : 0)),
    element('generalFlags', FLAGS.autoEnrollment | (isForMachines ? FLAGS.machine : 0)),
    element('hashAlgorithmOIDReference', reference(OIDS.sha256, 1, 'SHA256')),
    nil('rARequirements'),
    nil('keyArchivalAttributes'),
    element(
      'extensions',
      extensions.map((one) => extensionOf(one, reference)),
    ),
  ])
  const policy = element('policy', [
    element('policyOIDReference', reference(template.oid, 9, template.name)),
    element('cAs', [element('cAReference', 0)]),
    attributes,
  ])
  const response = element('response', [
    element('policyID', policyId),
    element('policyFriendlyName', friendlyName),
    element('nextUpdateHours', NEXT_UPDATE_HOURS),
    nil('policiesNotChanged'),
    element('policies', [policy]),
  ])
  const uris = authority.uris.map(({ signIn, uri, renewalOnly }, at) =>
    element('cAURI', [
      element('clientAuthentication', SIGN_INS[signIn]),
      element('uri', uri),
      element('priority', at + 1),
      element('renewalOnly', renewalOnly),
    ]),
  )
  const authorities = element('cAs', [
    element('cA', [
      element('uris', uris),
      element('certificate', Buffer.from(authority.certificate).toString('base64')),
      element('enrollPermission', true),
      element('cAReferenceID', 0),
    ]),
  ])
  const identifiers = element(
    'oIDs',
    oids.map(({ value, group, name }, at) =>
      element('oID', [element('value', value), element('group', group), element('oIDReferenceID', at + 1), element('defaultName', name)]),
    ),
  )
  return element('GetPoliciesResponse', [response, authorities, identifiers], { xmlns: POLICY, 'xmlns:i': NAMESPACES.instance })
}

function extensionOf(extension: Extension, reference: (value: string, group: number, name: string) => number): Written {
  const fields = fieldsOf(readDer(encodeExtension(extension)))
  const id = readOid(take(fields, 'extnID'))
  let value = take(fields, 'critical')
  const critical = isUniversal(value, TAG.boolean) && readBoolean(value)
  if (hasMore(fields)) value = take(fields, 'extnValue')
  return element('extension', [
    element('oIDReference', reference(id, 6, extension.type)),
    element('critical', critical),
    element('value', Buffer.from(readOctetString(value)).toString('base64')),
  ])
}
