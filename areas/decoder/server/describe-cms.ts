// CMS messages (RFC 5652), PKCS#7 among them, as trees of plain text: what is signed and by whom, or for whom it is encrypted. Signatures are
// checked with the certificates that the message carries; whether those are to be trusted is another question.

import { parseEnvelopedData } from '#standards/cms/enveloped-data.ts'
import { openContentInfo, type CertificateReference } from '#standards/cms/message.ts'
import { parseSignedData, verifySignedData } from '#standards/cms/signed-data.ts'
import { hexOf } from '#standards/der/values.ts'
import { describeAlgorithm } from '#standards/x509/algorithms.ts'
import type { DescribedField } from '#standards/x509/described-field.ts'
import { formatName, parseName } from '#standards/x509/names.ts'
import { describeOid, OIDS } from '#standards/x509/oids.ts'

export type CmsReading = {
  title: string
  label: string
  fields: DescribedField[]
  /** DER */
  certificates: readonly Uint8Array[]
  crls: readonly Uint8Array[]
  /** Signatures that do not hold. */
  faults: string[]
}

const types = {
  [OIDS.signedData]: 'signed data',
  [OIDS.envelopedData]: 'enveloped data',
  [OIDS.authEnvelopedData]: 'authenticated enveloped data',
}

/** Throws DerError. */
export function describeCms(der: Uint8Array): CmsReading {
  const { contentType } = openContentInfo(der, types)
  return contentType === OIDS.signedData ? describeSigned(der) : describeEnveloped(der, contentType)
}

function describeSigned(der: Uint8Array): CmsReading {
  const message = parseSignedData(der)
  const { content, certificates, crls } = message
  const signers = verifySignedData(message)
  const count = certificates.length === 1 ? '1 certificate' : `${certificates.length} certificates`
  return {
    title: signers.length === 0 ? count : signers.length === 1 ? 'signed by 1 signer' : `signed by ${signers.length} signers`,
    label: 'SignedData',
    fields: [
      { label: 'eContentType', value: describeOid(message.contentType) },
      {
        label: 'eContent',
        note: content === undefined ? 'Absent: what is signed travels apart, or nothing is.' : `${content.length} bytes`,
      },
      ...signers.map((signer): DescribedField => ({
        label: 'SignerInfo',
        note: signer.check.ok ? 'The signature is right.' : signer.check.reason,
        children: [
          describeReference('sid', signer.reference),
          ...(signer.certificate === undefined ? [] : [{ label: 'signer', value: formatName(signer.certificate.subject) }]),
          { label: 'digestAlgorithm', value: describeOid(signer.digestAlgorithm) },
          { label: 'signatureAlgorithm', value: describeAlgorithm(signer.algorithm) },
          ...(signer.signingTime === undefined
            ? []
            : [{ label: 'signingTime', value: signer.signingTime.toISOString().replace('.000', '') }]),
          ...(signer.attributes === undefined
            ? []
            : [{ label: 'signedAttrs', children: signer.attributes.map(({ type }) => ({ label: describeOid(type) })) }]),
        ],
      })),
    ],
    certificates,
    crls,
    // Without the content nothing can be checked, which is no fault of the message.
    faults: content === undefined ? [] : signers.flatMap(({ check }) => (check.ok ? [] : [check.reason])),
  }
}

function describeEnveloped(der: Uint8Array, contentType: string): CmsReading {
  const { contentType: inner, recipients, cipher, encrypted } = parseEnvelopedData(der)
  return {
    title: recipients.length === 1 ? 'for 1 recipient' : `for ${recipients.length} recipients`,
    label: contentType === OIDS.envelopedData ? 'EnvelopedData' : 'AuthEnvelopedData',
    fields: [
      { label: 'contentType', value: describeOid(inner) },
      { label: 'contentEncryptionAlgorithm', value: cipher ?? 'not known here' },
      { label: 'encryptedContent', note: `${encrypted.length} bytes` },
      ...recipients.map((recipient): DescribedField => {
        if (recipient.type === 'other') return { label: 'RecipientInfo', note: 'of a kind that is not known here' }
        const references = recipient.type === 'transport' ? [recipient.reference] : recipient.references.map(({ reference }) => reference)
        return {
          label: recipient.type === 'transport' ? 'KeyTransRecipientInfo' : 'KeyAgreeRecipientInfo',
          children: [
            ...references.map((reference) => describeReference('rid', reference)),
            { label: 'keyEncryptionAlgorithm', value: describeOid(recipient.algorithm.algorithm) },
          ],
        }
      }),
    ],
    certificates: [],
    crls: [],
    faults: [],
  }
}

function describeReference(label: string, reference: CertificateReference): DescribedField {
  if ('keyIdentifier' in reference) return { label, value: hexOf(reference.keyIdentifier), note: 'by its key identifier' }
  return {
    label,
    children: [
      { label: 'issuer', value: formatName(parseName(reference.issuer)) },
      { label: 'serialNumber', value: hexOf(reference.serialNumber) },
    ],
  }
}
