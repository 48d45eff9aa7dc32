import { Button, FileInput, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { CallFault } from '#core/console/call-fault.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { changed } from '#core/console/queries.ts'
import { sendFile } from '#core/console/send-file.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { queryText, to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { groupPolicy } from '../contract.ts'

export function ReadBackup() {
  const navigate = useNavigate()
  const [file, setFile] = useState<File | null>(null)
  const [busy, setBusy] = useState(false)
  const [wrong, setWrong] = useState<string>()
  const read = async (): Promise<void> => {
    if (file === null) return
    setBusy(true)
    setWrong(undefined)
    try {
      await sendFile(groupPolicy.endpoints.upload.path + queryText({ name: file.name }), file, { failed: 'The backup was not read' })
      changed('groupPolicy')
      await navigate(to(searchScreen, { searchType: 'gpo' }))
    } catch (error) {
      const says = (error as Partial<CallFault>).fields?.[0]?.says
      if (says === undefined) toastFault(error, t('The backup was not read'))
      else setWrong(t(says))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Page title={t('Read a backup')} narrow>
      <Section title={t('Backup')}>
        <Stack gap="sm">
          <Text size="sm">
            {t(
              'In Windows, open Group Policy Management, choose Back Up on the policy, and pack the folder that is made as a ZIP file. A copy of its folder in SYSVOL does, too.',
            )}
          </Text>
          <FileInput
            label={t('ZIP file')}
            description={t('At most 20 MB. Nothing is changed in the domain, and no password in it is kept.')}
            placeholder={t('Choose files')}
            accept=".zip,application/zip"
            clearable
            value={file}
            onChange={setFile}
            error={wrong}
          />
          <Group>
            <Button loading={busy} disabled={file === null} onClick={() => void read()}>
              {t('Read backup')}
            </Button>
          </Group>
        </Stack>
      </Section>
    </Page>
  )
}
