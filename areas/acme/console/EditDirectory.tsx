import { Alert, Stack } from '@mantine/core'
import { useParams } from 'react-router'
import { LongForm } from '#core/console/kit/LongForm.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { acme } from '../contract.ts'
import { DirectoryFields, type DirectoryValues } from './DirectoryFields.tsx'

export function EditDirectory() {
  const { id = '' } = useParams()
  const query = useCall(acme.calls.directory, { id })
  if (query.data !== undefined) return <Editor key={query.data.version} directory={query.data} />
  return (
    <Page title={t('ACME directory')}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function Editor({ directory }: { directory: OutputOf<typeof acme.calls.directory> }) {
  const choices = useCall(acme.calls.choices, {})
  const { id, version, url, ownerName, ownerMayAsk, ...values } = directory
  return (
    <Page title={values.name}>
      <Stack gap="md">
        {!ownerMayAsk && (
          <Alert color="red" title={t('Nothing is issued')}>
            {t('{name}, in whose name this directory asks, may not ask for certificates of devices now. Save it, and it asks in yours.', {
              name: ownerName,
            })}
          </Alert>
        )}
        <Facts
          items={[
            { label: t('Address'), value: <Mono value={url} />, copy: url },
            { label: t('Asks in the name of'), value: ownerName },
          ]}
        />
        <Loaded query={choices}>
          {({ templates }) => (
            <LongForm
              call={acme.calls.changeDirectory}
              initial={values}
              toInput={(changed: DirectoryValues) => ({ ...changed, id, version })}
              submit={t('Save directory')}
              cancel={{ label: t('Cancel'), to: to(acme.screens.config) }}
              onDone={() => {}}
            >
              {(form) => <DirectoryFields form={form} templates={templates} />}
            </LongForm>
          )}
        </Loaded>
      </Stack>
    </Page>
  )
}
