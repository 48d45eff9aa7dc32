import { Alert, Group, Stack, Text } from '@mantine/core'
import { Chain } from '#core/console/kit/Chain.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { fileStem } from '#core/console/save-file.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { authorities, type AuthorityView } from '../contract.ts'
import { fileBlob } from './file-blob.ts'
import { authorityPath } from './paths.ts'

type Format = 'pem' | 'der' | 'chain' | 'all' | 'pkcs7' | 'pkcs7-chain'

const files: readonly { format: Format; label: string; name: string }[] = [
  { format: 'pem', label: 'Certificate (PEM)', name: 'certificate.pem' },
  { format: 'der', label: 'Certificate (DER)', name: 'certificate.crt' },
  { format: 'chain', label: 'Chain (PEM)', name: 'chain.pem' },
  { format: 'all', label: 'All its certificates (PEM)', name: 'all.pem' },
  { format: 'pkcs7', label: 'PKCS#7', name: 'certificate.p7b' },
  { format: 'pkcs7-chain', label: 'PKCS#7 chain', name: 'chain.p7b' },
]

const fetchFile = async (caId: string, format: Format): Promise<Blob> => fileBlob(await send(authorities.calls.download, { caId, format }))

export function AuthorityChain({ authority }: { authority: AuthorityView }) {
  const { id, friendlyName, chain, chainComplete } = authority
  const stem = fileStem(friendlyName)
  return (
    <Stack gap="md">
      <Section title={t('Chain')} intro={t('From the root down to this authority.')}>
        {!chainComplete && (
          <Alert color="yellow" variant="light">
            {t(
              'The chain does not reach a root: relying parties must know the rest. Import the certificate again with all those above it.',
            )}
          </Alert>
        )}
        <Chain>
          {chain.toReversed().map(({ subject, notAfter, sha256, caId }) => (
            <li key={sha256}>
              {caId === undefined || caId === id ? (
                <Text fw={600}>{subject}</Text>
              ) : (
                <TextLink to={authorityPath(caId)}>{subject}</TextLink>
              )}
              <Text size="sm" c="dimmed" component="div">
                {t('Valid until')} <DateTime at={notAfter} dateOnly />
              </Text>
              <Mono value={sha256} label={t('SHA-256 fingerprint of {subject}', { subject })} />
            </li>
          ))}
        </Chain>
      </Section>
      <Section title={t('Files')}>
        <Group gap="xs">
          {files.map(({ format, label, name }) => (
            <DownloadButton key={format} label={t(label)} fileName={`${stem}-${name}`} from={() => fetchFile(id, format)} />
          ))}
        </Group>
      </Section>
    </Stack>
  )
}
