import { useNavigate } from 'react-router'
import { LongForm } from '#core/console/kit/LongForm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { acme } from '../contract.ts'
import { DirectoryFields, newDirectory, type DirectoryValues } from './DirectoryFields.tsx'

export function AddDirectory() {
  const navigate = useNavigate()
  const choices = useCall(acme.calls.choices, {})
  return (
    <Page title={t('New ACME directory')}>
      <Loaded query={choices}>
        {({ templates }) =>
          templates.length === 0 ? (
            <EmptyState
              title={t('No template for devices')}
              text={t('A directory needs a template of the class “Device”. Make one, or ask for one to be licensed.')}
            />
          ) : (
            <LongForm
              call={acme.calls.addDirectory}
              initial={newDirectory(templates)}
              toInput={(values: DirectoryValues) => values}
              submit={t('Create directory')}
              cancel={{ label: t('Cancel'), to: to(acme.screens.config) }}
              onDone={() => navigate(to(acme.screens.config, {}, { tab: 'commands' }))}
            >
              {(form) => <DirectoryFields form={form} templates={templates} />}
            </LongForm>
          )
        }
      </Loaded>
    </Page>
  )
}
