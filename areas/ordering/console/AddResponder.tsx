import { useNavigate } from 'react-router'
import { LongForm } from '#core/console/kit/LongForm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { ordering } from '../contract.ts'
import { respondersTab } from './external-tab.ts'
import { newResponder, ResponderFields, settingsOf, type ResponderValues } from './ResponderFields.tsx'

export function AddResponder() {
  const navigate = useNavigate()
  return (
    <Page title={t('New DNS responder')}>
      <LongForm
        call={ordering.calls.addResponder}
        initial={newResponder}
        toInput={({ settings, ...rest }: ResponderValues) => ({ ...rest, settings: settingsOf(settings) })}
        submit={t('Add responder')}
        cancel={{ label: t('Cancel'), to: respondersTab() }}
        onDone={() => navigate(respondersTab())}
      >
        {(form) => <ResponderFields form={form} isNew />}
      </LongForm>
    </Page>
  )
}
