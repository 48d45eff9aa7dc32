import { Stack } from '@mantine/core'
import { Copy } from '#core/console/kit/Copy.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { PemText } from '#core/console/kit/PemText.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import type { CertificateInfo } from '../shapes.ts'

export function CertificateRaw({ info: { certificate } }: { info: CertificateInfo }) {
  return (
    <Stack gap="md">
      <Section title={t('Fingerprints')}>
        <Facts
          items={[
            { label: t('SHA-256'), value: <Mono value={certificate.fingerprintSha256} />, copy: certificate.fingerprintSha256 },
            { label: t('SHA-1'), value: <Mono value={certificate.fingerprintSha1} />, copy: certificate.fingerprintSha1 },
            { label: t('Signed with'), value: certificate.signatureAlgorithm },
          ]}
        />
      </Section>
      <Section title={t('PEM')} actions={<Copy value={certificate.pem} label={t('PEM')} />}>
        <PemText label={t('Certificate as PEM')} value={certificate.pem} maxRows={30} />
      </Section>
    </Stack>
  )
}
