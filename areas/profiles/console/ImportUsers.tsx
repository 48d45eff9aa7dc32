import { SimpleGrid } from '@mantine/core'
import { useState } from 'react'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { SelectField } from '#core/console/kit/fields.tsx'
import { ImportSteps } from '#core/console/kit/ImportSteps.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { profiles } from '../contract.ts'
import { personColumns } from '../import-columns.ts'

export function ImportUsers() {
  const [mode, setMode] = useState<string>('both')
  const [invite, setInvite] = useState<string>('no')
  return (
    <Page title={t('Import users')} intro={t('From a CSV file with a row for each person. The own export comes back as it was.')}>
      <ImportSteps
        calls={profiles.calls}
        columns={personColumns}
        area="users"
        becomesTitle={t('Sign-in names')}
        fileIntro={t(
          'At most 10 MB. Given name, family name and e-mail address are needed; all other columns are read where there are any.',
        )}
        options={{ mode, invite }}
        optionFields={
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <SelectField
              name="mode"
              label={t('People in the file')}
              value={mode}
              options={[
                { value: 'both', label: t('Add new ones and change those who are here') },
                { value: 'add', label: t('Only add new ones') },
                { value: 'update', label: t('Only change those who are here') },
              ]}
              onChange={(value) => setMode(value ?? 'both')}
              onBlur={() => {}}
              error={undefined}
            />
            <SelectField
              name="invite"
              label={t('Activation links')}
              hint={t('They can also be made later, one by one')}
              value={invite}
              options={[
                { value: 'no', label: t('Send none') },
                { value: 'yes', label: t('Send one to each new person') },
              ]}
              onChange={(value) => setInvite(value ?? 'no')}
              onBlur={() => {}}
              error={undefined}
            />
          </SimpleGrid>
        }
        faultyRows={(importId) => (
          <DownloadButton
            from={`${profiles.endpoints.faultyRows.path}?${new URLSearchParams({ id: importId })}`}
            fileName="faulty-rows.csv"
            label={t('Download faulty rows')}
          />
        )}
      />
    </Page>
  )
}
