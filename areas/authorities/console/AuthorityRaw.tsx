import { Stack } from '@mantine/core'
import { Copy } from '#core/console/kit/Copy.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { PemText } from '#core/console/kit/PemText.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import type { AuthorityView } from '../contract.ts'

export function AuthorityRaw({ authority: { certificate } }: { authority: AuthorityView }) {
  if (certificate === undefined) return null
  return (
    <Stack gap="md">
      <Section title={t('Fingerprints')}>
        <Facts
          items={[
            { label: t('SHA-256'), value: <Mono value={certificate.sha256} />, copy: certificate.sha256 },
            { label: t('SHA-1'), value: <Mono value={certificate.sha1} />, copy: certificate.sha1 },
            { label: t('Serial number'), value: <Mono value={certificate.serialHex} />, copy: certificate.serialHex },
          ]}
        />
      </Section>
      <Section title={t('PEM')} actions={<Copy value={certificate.pem} label={t('PEM')} />}>
        <PemText label={t('Certificate as PEM')} value={certificate.pem} />
      </Section>
    </Stack>
  )
}
