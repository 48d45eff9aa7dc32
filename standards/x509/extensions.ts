import { say } from '#standards/say/say.ts'
import { elementsOf, fieldsOf, finish, hasMore, readInside, take, takeContext, takeUniversal } from '../der/fields.ts'
// Certificate extensions, both ways. The table holds, for each extension we know, its identifier, its reader and its
// writer; everything else is kept as bytes, so that nothing a certificate says is lost by reading it.
import { TAG, readDer, type DerValue } from '../der/reader.ts'
import {
  faultAt,
  implicit,
  readBoolean,
  readNamedBits,
  readNull,
  readOctetString,
  readOid,
  readSmallInteger,
  readString,
  readUnsignedBytes,
  type Oid,
} from '../der/values.ts'
import {
  boolean,
  characterString,
  implicitConstructed,
  implicitPrimitive,
  integer,
  integerContent,
  namedBitString,
  nullValue,
  octetString,
  oid,
  sequence,
} from '../der/writer.ts'
import { X509Error } from './error.ts'
import {
  KEY_USAGES,
  type AccessDescription,
  type DistributionPoint,
  type Extension,
  type ExtensionType,
  type ExtensionValues,
  type GeneralSubtree,
  type KnownExtension,
  type PolicyInformation,
} from './extension-types.ts'
import { encodeGeneralName, encodeGeneralNames, parseGeneralName, parseGeneralNames, type GeneralName } from './general-names.ts'
import { OIDS } from './oids.ts'
import { encodeDistributionPoints, encodePolicies, parseDistributionPoints, parsePolicies } from './policies.ts'
import { encodeQcStatements, parseQcStatements } from './qc-statements.ts'
import { encodeTimestampList, parseTimestampList } from './signed-timestamps.ts'

interface Codec<Type extends ExtensionType> {
  oid: Oid
  parse: (value: DerValue) => ExtensionValues[Type]
  encode: (extension: ExtensionValues[Type]) => Uint8Array
}

const names = (which: 'subjectAltName' | 'issuerAltName') => ({
  oid: OIDS[which],
  parse: (value: DerValue) => ({ names: parseGeneralNames(value) }),
  encode: ({ names: list }: { names: readonly GeneralName[] }) => sequence(encodeGeneralNames(list)),
})
const access = (which: 'authorityInfoAccess' | 'subjectInfoAccess') => ({
  oid: OIDS[which],
  parse: (value: DerValue) => ({ descriptions: elementsOf(value, 1).map(parseAccessDescription) }),
  encode: ({ descriptions }: { descriptions: readonly AccessDescription[] }) =>
    sequence(...notEmpty(descriptions).map((each) => sequence(oid(each.accessMethod), encodeGeneralName(each.accessLocation)))),
})
const points = (which: 'cRLDistributionPoints' | 'freshestCRL') => ({
  oid: OIDS[which],
  parse: (value: DerValue) => ({ distributionPoints: parseDistributionPoints(value) }),
  encode: ({ distributionPoints }: { distributionPoints: readonly DistributionPoint[] }) => encodeDistributionPoints(distributionPoints),
})
const policies = (which: 'certificatePolicies' | 'microsoftApplicationPolicies') => ({
  oid: OIDS[which],
  parse: (value: DerValue) => ({ policies: parsePolicies(value) }),
  encode: ({ policies: list }: { policies: readonly PolicyInformation[] }) => encodePolicies(list),
})

/** Extensions that say something by being there: their value is NULL. */
const empty = (which: 'ocspNoCheck' | 'precertificatePoison') => ({
  oid: OIDS[which],
  parse: (value: DerValue) => {
    readNull(value)
    return {}
  },
  encode: nullValue,
})

const CODECS: { readonly [Type in ExtensionType]: Codec<Type> } = {
  basicConstraints: {
    oid: OIDS.basicConstraints,
    parse: (value) => {
      const fields = fieldsOf(value)
      const cA = takeUniversal(fields, TAG.boolean, 'cA')
      const pathLength = takeUniversal(fields, TAG.integer, 'pathLenConstraint')
      finish(fields)
      if (cA !== undefined && !readBoolean(cA)) throw faultAt(cA, say`FALSE is the default and must be left out in DER`)
      return { cA: cA !== undefined, ...(pathLength === undefined ? {} : { pathLenConstraint: readSmallInteger(pathLength) }) }
    },
    encode: ({ cA, pathLenConstraint }) =>
      sequence(...(cA ? [boolean(true)] : []), ...(pathLenConstraint === undefined ? [] : [integer(pathLenConstraint)])),
  },
  keyUsage: {
    oid: OIDS.keyUsage,
    // Lenient, because two of the roots that browsers trust end with zero bits; lint names it in what we are to sign.
    parse: (value) => ({
      usages: readNamedBits(value, true).map((bit) => {
        const usage = KEY_USAGES[bit]
        if (usage === undefined) throw faultAt(value, say`Bit ${bit} is no key usage`)
        return usage
      }),
    }),
    encode: ({ usages }) => namedBitString(usages.map((usage) => KEY_USAGES.indexOf(usage))),
  },
  extKeyUsage: {
    oid: OIDS.extKeyUsage,
    parse: (value) => ({ purposes: elementsOf(value, 1).map(readOid) }),
    encode: ({ purposes }) => sequence(...notEmpty(purposes).map(oid)),
  },
  subjectAltName: names('subjectAltName'),
  issuerAltName: names('issuerAltName'),
  subjectKeyIdentifier: {
    oid: OIDS.subjectKeyIdentifier,
    parse: (value) => ({ keyIdentifier: readOctetString(value) }),
    encode: ({ keyIdentifier }) => octetString(keyIdentifier),
  },
  authorityKeyIdentifier: {
    oid: OIDS.authorityKeyIdentifier,
    parse: (value) => {
      const fields = fieldsOf(value)
      const key = takeContext(fields, 0, 'keyIdentifier')
      const issuer = takeContext(fields, 1, 'authorityCertIssuer')
      const serial = takeContext(fields, 2, 'authorityCertSerialNumber')
      finish(fields)
      return {
        ...(key === undefined ? {} : { keyIdentifier: readOctetString(implicit(key, TAG.octetString)) }),
        ...(issuer === undefined ? {} : { authorityCertIssuer: parseGeneralNames(implicit(issuer, TAG.sequence)) }),
        ...(serial === undefined ? {} : { authorityCertSerialNumber: readUnsignedBytes(implicit(serial, TAG.integer)) }),
      }
    },
    encode: ({ keyIdentifier, authorityCertIssuer, authorityCertSerialNumber }) =>
      sequence(
        ...(keyIdentifier === undefined ? [] : [implicitPrimitive(0, keyIdentifier)]),
        ...(authorityCertIssuer === undefined ? [] : [implicitConstructed(1, encodeGeneralNames(authorityCertIssuer))]),
        ...(authorityCertSerialNumber === undefined ? [] : [implicitPrimitive(2, integerContent(authorityCertSerialNumber))]),
      ),
  },
  authorityInfoAccess: access('authorityInfoAccess'),
  subjectInfoAccess: access('subjectInfoAccess'),
  cRLDistributionPoints: points('cRLDistributionPoints'),
  freshestCRL: points('freshestCRL'),
  certificatePolicies: policies('certificatePolicies'),
  microsoftApplicationPolicies: policies('microsoftApplicationPolicies'),
  policyMappings: {
    oid: OIDS.policyMappings,
    parse: (value) => ({
      mappings: elementsOf(value, 1).map((element) => {
        const fields = fieldsOf(element)
        const issuerDomainPolicy = readOid(take(fields, 'issuerDomainPolicy'))
        const subjectDomainPolicy = readOid(take(fields, 'subjectDomainPolicy'))
        finish(fields)
        return { issuerDomainPolicy, subjectDomainPolicy }
      }),
    }),
    encode: ({ mappings }) =>
      sequence(...notEmpty(mappings).map((each) => sequence(oid(each.issuerDomainPolicy), oid(each.subjectDomainPolicy)))),
  },
  policyConstraints: {
    oid: OIDS.policyConstraints,
    parse: (value) => {
      const fields = fieldsOf(value)
      const explicitPolicy = takeContext(fields, 0, 'requireExplicitPolicy')
      const mapping = takeContext(fields, 1, 'inhibitPolicyMapping')
      finish(fields)
      if (explicitPolicy === undefined && mapping === undefined) throw faultAt(value, say`The extension must not be empty`)
      return {
        ...(explicitPolicy === undefined ? {} : { requireExplicitPolicy: readSmallInteger(implicit(explicitPolicy, TAG.integer)) }),
        ...(mapping === undefined ? {} : { inhibitPolicyMapping: readSmallInteger(implicit(mapping, TAG.integer)) }),
      }
    },
    encode: ({ requireExplicitPolicy, inhibitPolicyMapping }) =>
      sequence(
        ...(requireExplicitPolicy === undefined ? [] : [implicitPrimitive(0, integerContent(requireExplicitPolicy))]),
        ...(inhibitPolicyMapping === undefined ? [] : [implicitPrimitive(1, integerContent(inhibitPolicyMapping))]),
      ),
  },
  nameConstraints: {
    oid: OIDS.nameConstraints,
    parse: (value) => {
      const fields = fieldsOf(value)
      const permitted = takeContext(fields, 0, 'permittedSubtrees')
      const excluded = takeContext(fields, 1, 'excludedSubtrees')
      finish(fields)
      if (permitted === undefined && excluded === undefined) throw faultAt(value, say`The extension must not be empty`)
      return {
        ...(permitted === undefined ? {} : { permittedSubtrees: parseSubtrees(permitted) }),
        ...(excluded === undefined ? {} : { excludedSubtrees: parseSubtrees(excluded) }),
      }
    },
    encode: ({ permittedSubtrees, excludedSubtrees }) =>
      sequence(
        ...(permittedSubtrees === undefined ? [] : [implicitConstructed(0, ...notEmpty(permittedSubtrees).map(encodeSubtree))]),
        ...(excludedSubtrees === undefined ? [] : [implicitConstructed(1, ...notEmpty(excludedSubtrees).map(encodeSubtree))]),
      ),
  },
  inhibitAnyPolicy: {
    oid: OIDS.inhibitAnyPolicy,
    parse: (value) => ({ skipCerts: readSmallInteger(value) }),
    encode: ({ skipCerts }) => integer(skipCerts),
  },
  tlsFeature: {
    oid: OIDS.tlsFeature,
    parse: (value) => ({ features: elementsOf(value, 1).map((element) => readSmallInteger(element, { max: 65_535 })) }),
    encode: ({ features }) => sequence(...notEmpty(features).map((feature) => integer(feature))),
  },
  ocspNoCheck: empty('ocspNoCheck'),
  microsoftCertificateTemplate: {
    oid: OIDS.microsoftCertificateTemplate,
    parse: (value) => {
      const fields = fieldsOf(value)
      const templateId = readOid(take(fields, 'templateID'))
      const major = hasMore(fields) ? readSmallInteger(take(fields, 'templateMajorVersion')) : undefined
      const minor = hasMore(fields) ? readSmallInteger(take(fields, 'templateMinorVersion')) : undefined
      finish(fields)
      return {
        templateId,
        ...(major === undefined ? {} : { majorVersion: major }),
        ...(minor === undefined ? {} : { minorVersion: minor }),
      }
    },
    encode: ({ templateId, majorVersion, minorVersion }) =>
      sequence(
        oid(templateId),
        ...(majorVersion === undefined ? [] : [integer(majorVersion)]),
        ...(minorVersion === undefined ? [] : [integer(minorVersion)]),
      ),
  },
  microsoftSecurityIdentifier: {
    oid: OIDS.microsoftSecurityIdentifier,
    parse: (value) => {
      const [name, second] = parseGeneralNames(value)
      if (name?.type !== 'otherName' || name.typeId !== OIDS.microsoftSecurityIdentifierName || second !== undefined) {
        throw faultAt(value, say`Expected one otherName with a security identifier`)
      }
      const sid = readOctetString(readDer(name.value, { path: value.path, offset: value.offset }))
      const text = Buffer.from(sid).toString('latin1')
      if (!SID.test(text)) throw faultAt(value, say`The security identifier must have the form S-1-5-21-...`)
      return { sid: text }
    },
    encode: ({ sid }) => {
      if (!SID.test(sid)) throw new X509Error(say`The security identifier must have the form S-1-5-21-...`)
      const name: GeneralName = {
        type: 'otherName',
        typeId: OIDS.microsoftSecurityIdentifierName,
        value: octetString(Buffer.from(sid, 'latin1')),
      }
      return sequence(encodeGeneralName(name))
    },
  },
  microsoftCertificateTemplateName: {
    oid: OIDS.microsoftCertificateTemplateName,
    parse: (value) => {
      const { type, value: name } = readString(value)
      return type === 'bmpString' ? { name } : { name, stringType: type }
    },
    encode: ({ name, stringType }) => characterString(stringType ?? 'bmpString', name),
  },
  microsoftCaVersion: {
    oid: OIDS.microsoftCaVersion,
    parse: (value) => {
      const version = readSmallInteger(value)
      return { certificateIndex: version & 0xffff, keyIndex: version >>> 16 }
    },
    encode: ({ certificateIndex, keyIndex }) => integer(keyIndex * 0x1_0000 + certificateIndex),
  },
  signedCertificateTimestampList: {
    oid: OIDS.signedCertificateTimestampList,
    parse: (value) => ({ timestamps: parseTimestampList(readOctetString(value), value) }),
    encode: ({ timestamps }) => octetString(encodeTimestampList(timestamps)),
  },
  precertificatePoison: empty('precertificatePoison'),
  qcStatements: {
    oid: OIDS.qcStatements,
    parse: (value) => ({ statements: parseQcStatements(value) }),
    encode: ({ statements }) => encodeQcStatements(notEmpty(statements)),
  },
  acmeIdentifier: {
    oid: OIDS.acmeIdentifier,
    parse: (value) => {
      const digest = readOctetString(value)
      if (digest.length !== 32) throw faultAt(value, say`The digest of a key authorisation has 32 bytes`)
      return { digest }
    },
    encode: ({ digest }) => octetString(digest),
  },
}

const SID = /^S-1-\d{1,15}(-\d{1,10}){1,15}$/
const TYPE_OF = new Map<Oid, ExtensionType>((Object.keys(CODECS) as ExtensionType[]).map((type) => [CODECS[type].oid, type]))

function notEmpty<Item>(list: readonly Item[]): readonly Item[] {
  if (list.length === 0) throw new X509Error(say`A list inside an extension must not be empty`)
  return list
}

function parseAccessDescription(value: DerValue): AccessDescription {
  const fields = fieldsOf(value)
  const accessMethod = readOid(take(fields, 'accessMethod'))
  const accessLocation = parseGeneralName(take(fields, 'accessLocation'))
  finish(fields)
  return { accessMethod, accessLocation }
}

function parseSubtrees(value: DerValue): GeneralSubtree[] {
  return elementsOf(implicit(value, TAG.sequence), 1).map((element) => {
    const fields = fieldsOf(element)
    const base = parseGeneralName(take(fields, 'base'), true)
    const minimum = takeContext(fields, 0, 'minimum')
    const maximum = takeContext(fields, 1, 'maximum')
    finish(fields)
    return {
      base,
      ...(minimum === undefined ? {} : { minimum: readSmallInteger(implicit(minimum, TAG.integer), { min: 1 }) }),
      ...(maximum === undefined ? {} : { maximum: readSmallInteger(implicit(maximum, TAG.integer)) }),
    }
  })
}

function encodeSubtree({ base, minimum, maximum }: GeneralSubtree): Uint8Array {
  return sequence(
    encodeGeneralName(base),
    ...(minimum === undefined || minimum === 0 ? [] : [implicitPrimitive(0, integerContent(minimum))]),
    ...(maximum === undefined ? [] : [implicitPrimitive(1, integerContent(maximum))]),
  )
}

/** The identifier of an extension. */
export function extensionOid(extension: Pick<Extension, 'type'> & { oid?: Oid }): Oid {
  return extension.type === 'unknown' ? (extension.oid ?? '') : CODECS[extension.type].oid
}

/** One Extension of RFC 5280 4.1. Throws X509Error for values it cannot hold. */
export function encodeExtension(extension: Extension): Uint8Array {
  const value = extension.type === 'unknown' ? extension.value : encodeKnown(extension)
  return sequence(oid(extensionOid(extension)), ...(extension.critical ? [boolean(true)] : []), octetString(value))
}

function encodeKnown<Type extends ExtensionType>(extension: KnownExtension<Type>): Uint8Array {
  return CODECS[extension.type].encode(extension)
}

/** The SEQUENCE OF Extension; the caller adds the tag. Refuses an empty list and a kind that stands twice. */
export function encodeExtensions(extensions: readonly Extension[]): Uint8Array {
  const seen = new Set<Oid>()
  for (const extension of notEmpty(extensions)) {
    const identifier = extensionOid(extension)
    if (seen.has(identifier)) throw new X509Error(say`The extension ${nameOf(extension)} stands twice`)
    seen.add(identifier)
  }
  return sequence(...extensions.map(encodeExtension))
}

function nameOf(extension: Extension): string {
  return extension.type === 'unknown' ? extension.oid : extension.type
}

/** The SEQUENCE OF Extension: not empty, no kind twice (RFC 5280 4.2). Throws DerError. */
export function parseExtensions(value: DerValue): Extension[] {
  const seen = new Set<Oid>()
  return elementsOf(value, 1).map((element) => {
    const extension = parseExtension(element)
    const identifier = extensionOid(extension)
    if (seen.has(identifier)) throw new X509Error(say`The extension ${nameOf(extension)} stands twice`, element)
    seen.add(identifier)
    return extension
  })
}

/** One Extension. A kind we know must be well formed; of others only the outside is read. Those that many certificates share are read once. */
export function parseExtension(element: DerValue): Extension {
  const { encoded } = element
  const key =
    encoded.length > LONGEST_REMEMBERED ? undefined : Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength).toString('latin1')
  const found = key === undefined ? undefined : remembered.get(key)
  if (found !== undefined) return found
  const extension = readExtension(element)
  if (key !== undefined && SHARED.has(extension.type) && remembered.size < MOST_REMEMBERED) remembered.set(key, extension)
  return extension
}
/** What does not depend on the holder. Their values hold no windows on the bytes that were read, or short ones. */
const SHARED = new Set<Extension['type']>([
  'basicConstraints',
  'keyUsage',
  'extKeyUsage',
  'authorityKeyIdentifier',
  'cRLDistributionPoints',
  'authorityInfoAccess',
  'certificatePolicies',
  'tlsFeature',
  'ocspNoCheck',
])
const LONGEST_REMEMBERED = 400
const MOST_REMEMBERED = 1_000
const remembered = new Map<string, Extension>()

function readExtension(element: DerValue): Extension {
  const fields = fieldsOf(element)
  const identifier = readOid(take(fields, 'extnID'))
  const criticalValue = takeUniversal(fields, TAG.boolean, 'critical')
  const wrapped = take(fields, 'extnValue')
  finish(fields)
  if (criticalValue !== undefined && !readBoolean(criticalValue))
    throw faultAt(criticalValue, say`FALSE is the default and must be left out in DER`)
  const critical = criticalValue !== undefined
  const content = readOctetString(wrapped)
  const type = TYPE_OF.get(identifier)
  if (type === undefined) return { type: 'unknown', oid: identifier, critical, value: content }
  wrapped.path = `${wrapped.path}(${type})`
  return parseKnown(type, critical, readInside(wrapped, content))
}

function parseKnown<Type extends ExtensionType>(type: Type, critical: boolean, value: DerValue): KnownExtension<Type> {
  return { type, critical, ...CODECS[type].parse(value) }
}

/** The extension of one kind, if it is there. */
export function findExtension<Type extends ExtensionType>(
  extensions: readonly Extension[],
  type: Type,
): Extract<Extension, { type: Type }> | undefined {
  for (const extension of extensions) if (isOfType(extension, type)) return extension
  return undefined
}

function isOfType<Type extends ExtensionType>(extension: Extension, type: Type): extension is Extract<Extension, { type: Type }> {
  return extension.type === type
}
