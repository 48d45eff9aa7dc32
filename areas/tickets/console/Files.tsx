import { Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { IconPaperclip } from '@tabler/icons-react'
import { useState } from 'react'
import { useMay } from '#core/console/bootstrap.ts'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { tickets } from '../contract.ts'
import { attachFile, filePath } from './upload.ts'

type Ticket = OutputOf<typeof tickets.calls.read>

export function Files({ ticketId, files, mayAttach }: { ticketId: number; files: Ticket['attachments']; mayAttach: boolean }) {
  const handles = useMay()('ticketEdit')
  const removal = useSend(tickets.calls.removeFile)
  const [sending, setSending] = useState(false)
  const take = async (chosen: File[]) => {
    setSending(true)
    for (const file of chosen)
      await attachFile(ticketId, file).catch((error: unknown) =>
        toastFault(error, t('The file {name} was not attached', { name: file.name })),
      )
    setSending(false)
  }
  return (
    <Section title={t('Files')}>
      <Stack gap="xs" align="flex-start">
        {files.length === 0 && <Text c="dimmed">{t('No files')}</Text>}
        {files.map(({ id, name, own }) => (
          <Group key={id} gap="xs">
            <DownloadButton label={name} fileName={name} from={filePath(ticketId, id)} variant="subtle" size="xs" />
            {(own || handles) && (
              <Button
                size="compact-xs"
                variant="subtle"
                color="red"
                aria-label={t('Remove {name}', { name })}
                onClick={() =>
                  void removal.run({ ticketId, id }).catch((error: unknown) => toastFault(error, t('The file was not removed')))
                }
              >
                {t('Remove')}
              </Button>
            )}
          </Group>
        ))}
        {mayAttach && (
          <FileButton multiple onChange={(chosen) => void take(chosen)}>
            {(props) => (
              <Button
                {...props}
                variant="default"
                size="xs"
                loading={sending}
                leftSection={<IconPaperclip size={16} stroke={1.8} aria-hidden />}
              >
                {t('Attach files')}
              </Button>
            )}
          </FileButton>
        )}
      </Stack>
    </Section>
  )
}
