// What an authority's certificate says, in the order in which people ask: who, by whom, how long, with what key, and what it may do.

import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Facts } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'

export type CertificateSheetProps = {
  subject: string
  issuer: string
  notBefore: string
  notAfter: string
  key: string
  signatureAlgorithm: string
  keyUsages: readonly string[]
  pathLength?: number | undefined
  permittedNames: readonly { type: string; value: string }[]
  excludedNames: readonly { type: string; value: string }[]
}

/** Those that authorities have; another is named as the standard does. */
const usageLabels: Record<string, string> = {
  keyCertSign: 'Certificate signing',
  cRLSign: 'CRL signing',
  digitalSignature: 'Digital signature',
}

const nameKinds: Record<string, string> = { dNSName: 'Domain {value}', iPAddress: 'Network {value}', rfc822Name: 'Mail {value}' }

const listed = (names: CertificateSheetProps['permittedNames']): string =>
  names.map(({ type, value }) => t(nameKinds[type] ?? '{value}', { value })).join(', ')

export function CertificateSheet({ certificate }: { certificate: CertificateSheetProps }) {
  const { subject, issuer, notBefore, notAfter, key, signatureAlgorithm, keyUsages, pathLength, permittedNames, excludedNames } =
    certificate
  return (
    <Facts
      items={[
        { label: t('Subject'), value: subject, copy: subject },
        { label: t('Issuer'), value: issuer === subject ? t('Itself') : issuer },
        { label: t('Valid from'), value: <DateTime at={notBefore} /> },
        { label: t('Valid until'), value: <DateTime at={notAfter} /> },
        { label: t('Key'), value: key },
        { label: t('Signed with'), value: signatureAlgorithm },
        { label: t('Key usage'), value: keyUsages.map((one) => t(usageLabels[one] ?? one)).join(', ') },
        {
          label: t('Authorities below'),
          value:
            pathLength === undefined
              ? t('Any number of levels')
              : t('{count, plural, =0 {None} one {One level} other {# levels}}', { count: pathLength }),
        },
        permittedNames.length > 0 && { label: t('Only for'), value: listed(permittedNames) },
        excludedNames.length > 0 && { label: t('Not for'), value: listed(excludedNames) },
      ]}
    />
  )
}
