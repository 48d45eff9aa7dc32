import { Group, Stack, Text } from '@mantine/core'
import { authorities } from '#areas/authorities/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { Chain } from '#core/console/kit/Chain.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { certificates } from '../contract.ts'
import type { CertificateInfo } from '../shapes.ts'
import { decodedFile, fileStem } from './decoded-file.ts'

const files = [
  { format: 'pem', label: 'Certificate (PEM)', ending: '.pem' },
  { format: 'der', label: 'Certificate (DER)', ending: '.cer' },
  { format: 'chain', label: 'Chain (PEM)', ending: '-chain.pem' },
  { format: 'pkcs7', label: 'PKCS#7', ending: '.p7b' },
  { format: 'pkcs7Chain', label: 'PKCS#7 chain', ending: '-chain.p7b' },
] as const

export function CertificateChain({ info }: { info: CertificateInfo }) {
  const may = useMay()
  const { certificateId, crl, ocsp, notAfter } = info.certificate
  const stem = fileStem(info.cn)
  return (
    <Stack gap="md">
      <Section title={t('Chain')} intro={t('From the root down to this certificate.')}>
        <Chain>
          {info.chain.toReversed().map((link) => (
            <li key={link.serialNumber}>
              {link.caId !== undefined && may('manageCAs') ? (
                <TextLink to={to(authorities.screens.manage, { id: link.caId })}>{link.name}</TextLink>
              ) : (
                <Text>{link.name}</Text>
              )}
              <Text size="sm" c="dimmed" component="div">
                {t('Valid until')} <DateTime at={link.notAfter} dateOnly />
              </Text>
            </li>
          ))}
          <li>
            <Text fw={600}>{info.cn}</Text>
            <Text size="sm" c="dimmed" component="div">
              {t('Valid until')} <DateTime at={notAfter} dateOnly />
            </Text>
          </li>
        </Chain>
      </Section>
      <Section title={t('Files')}>
        <Group gap="xs">
          {files.map(({ format, label, ending }) => (
            <DownloadButton
              key={format}
              label={t(label)}
              fileName={`${stem}${ending}`}
              from={async () => decodedFile(await send(certificates.calls.download, { certId: certificateId, format }))}
            />
          ))}
        </Group>
      </Section>
      <Section title={t('Where its status is told')}>
        <Facts
          items={[
            { label: t('CRL'), value: crl, copy: crl },
            { label: t('OCSP'), value: ocsp, copy: ocsp },
          ]}
        />
      </Section>
    </Stack>
  )
}
