// The certificate that would come out, before anybody signs it: the very bytes that the authority would sign (with a serial that is nobody's),
// described for people and linted. The editor's preview, the check before sending and the check before signing all use this.

import { wholeSecond } from '#areas/authorities/rules.ts'
import { tbsOf, type CertificateDraft as IssuerDraft, type Issuer } from '#areas/authorities/service.ts'
import { isHolderKey } from '#areas/keys/rules.ts'
import { generateKeyPair } from '#areas/keys/service.ts'
import { dayText } from '#core/contract/days.ts'
import { lintCertificate } from '#standards/lint/lint.ts'
import { say } from '#standards/say/say.ts'
import { formatName } from '#standards/x509/names.ts'
import type { PublicKeyInfo } from '#standards/x509/public-key-info.ts'
import { describeKey, parsePublicKey } from '#standards/x509/public-key.ts'
import { constraintFaults } from './name-constraints.ts'
import type { CertificateDraft } from './plan.ts'
import { certificateParts } from './requests.ts'
import { endOfValidity, extendedUsages, keyUsages, usageLabel, usualBackdatedMinutes, type Extensions, type KeyKindName } from './rules.ts'

export type Finding = { severity: 'warn' | 'error' | 'fatal'; code: string; message: string; field: string }

export type Planned = {
  issuer: string
  subject: string
  sans: CertificateDraft['sans']
  keyUsages: string[]
  extendedUsages: string[]
  key: string
  notBefore: Date
  notAfter: Date
}

export type Preview = { planned: Planned; findings: Finding[]; certificate: Omit<IssuerDraft, 'about'> }

/** From shortly before now for as long as the template says, never outside of the authority's life. */
export function validityOf(
  { validityPeriod, validityPeriodUnits, backdatedMinutes = usualBackdatedMinutes }: Extensions,
  issuer: Pick<Issuer, 'notBefore' | 'notAfter'>,
  now: Date,
): { notBefore: Date; notAfter: Date; shortened: boolean } {
  const begins = wholeSecond(new Date(now.getTime() - backdatedMinutes * 60_000))
  const notBefore = begins < issuer.notBefore ? issuer.notBefore : begins
  const wanted = endOfValidity(notBefore, validityPeriod, validityPeriodUnits)
  const shortened = wanted > issuer.notAfter
  return { notBefore, notAfter: shortened ? issuer.notAfter : wanted, shortened }
}

/** `field` is the one that a finding about names and key is put beside. */
export function previewCertificate(
  issuer: Issuer,
  extensions: Extensions,
  draft: CertificateDraft,
  key: Uint8Array | PublicKeyInfo,
  now: Date,
  field: string,
): Preview {
  const { subject, extensions: carried } = certificateParts(draft)
  const { notBefore, notAfter, shortened } = validityOf(extensions, issuer, now)
  const publicKey = key instanceof Uint8Array ? parsePublicKey(key) : key
  const certificate = { subject, notBefore, notAfter, publicKey, extensions: carried }
  const tbs = tbsOf(issuer, certificate, noSerial)
  const findings: Finding[] = lintCertificate(tbs, { now }).map(({ severity, code, message }) => ({ severity, code, message, field }))
  const names = carried.find((extension) => extension.type === 'subjectAltName')?.names ?? []
  for (const message of constraintFaults(issuer.chain, { subject, names }))
    findings.push({ severity: 'error', code: 'nameConstraints', message, field })
  if (shortened)
    findings.push({
      severity: 'warn',
      code: 'validityShortened',
      field: 'templateId',
      message: say`The certificate ends with its authority on ${dayText(notAfter)}, earlier than the template says`,
    })
  return {
    planned: {
      issuer: issuer.subject,
      subject: formatName(subject),
      sans: draft.sans,
      keyUsages: draft.keyUsages.map((name) => keyUsages[name]),
      extendedUsages: [...draft.extendedUsages.map((name) => extendedUsages[name].label), ...(draft.customUsages ?? []).map(usageLabel)],
      key: describeKey(publicKey),
      notBefore,
      notAfter,
    },
    findings,
    certificate,
  }
}

/** As long as a real one, and never issued: a real serial has no such pattern by chance. */
const noSerial = Uint8Array.from({ length: 16 }, (_, at) => 0x11 * (1 + (at % 7)))

const samples = new Map<KeyKindName, Promise<Uint8Array>>()

/** A public key of this kind whose private half nobody keeps: a preview without a CSR still shows real bytes. Not inside a transaction. */
export function samplePublicKey(kind: KeyKindName | undefined): Promise<Uint8Array> {
  const algorithm = kind !== undefined && isHolderKey(kind) ? kind : 'P-256'
  const sample = samples.get(algorithm) ?? generateKeyPair(algorithm).then(({ spki }) => spki)
  samples.set(algorithm, sample)
  return sample
}

/** The kind of key that the server makes where nobody says which: the first that the template allows and that can be made here. */
export const serverKeyOf = (keys: readonly KeyKindName[]): KeyKindName | undefined => keys.find(isHolderKey)
