import { Alert, SimpleGrid, Stack, Text } from '@mantine/core'
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
import { certificateFormats, formatNames } from '../file-formats.ts'
import type { CertificateInfo } from '../shapes.ts'
import { decodedFile, fileStem } from './decoded-file.ts'

export function CertificateChain({ info }: { info: CertificateInfo }) {
  const may = useMay()
  const { certificateId, crl, ocsp, notAfter } = info.certificate
  const stem = fileStem(info.cn)
  return (
    <Stack gap="md">
      <Section title={t('Chain')} intro={t('From the root down to this certificate.')}>
        {!info.issuerKnown && (
          <Alert color="yellow" variant="light" title={t('Its issuer is not known here')}>
            {t('No authority here signed it, so whether it is revoked cannot be told here.')}
          </Alert>
        )}
        {info.signedBy !== undefined && (
          <Alert color="blue" variant="light" title={t('One of our own')}>
            {t('{name} signed it. It was uploaded, because the inventory did not know it.', { name: info.signedBy.name })}
          </Alert>
        )}
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
        {!info.rootKnown && (
          <Text size="sm" c="dimmed">
            {t('The root above this certificate is not known here, so there is no file for clients.')}
          </Text>
        )}
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          {formatNames
            .filter((format) => info.rootKnown || format !== 'clients')
            .map((format) => ({ format, ...certificateFormats[format] }))
            .map(({ format, label, says, ending }) => (
              <Stack key={format} gap={4}>
                <DownloadButton
                  label={t(label)}
                  fileName={`${stem}${ending}`}
                  from={async () => decodedFile(await send(certificates.calls.download, { certId: certificateId, format }))}
                />
                <Text size="sm" c="dimmed">
                  {t(says)}
                </Text>
              </Stack>
            ))}
        </SimpleGrid>
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
