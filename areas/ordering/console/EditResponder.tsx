import { Alert, Stack } from '@mantine/core'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LongForm } from '#core/console/kit/LongForm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { ordering } from '../contract.ts'
import { respondersTab } from './external-tab.ts'
import { ResponderFields, settingsOf, valuesOf, type ResponderValues } from './ResponderFields.tsx'

export function EditResponder() {
  const { id = '' } = useParams()
  const query = useCall(ordering.calls.responder, { id })
  if (query.data !== undefined) return <Editor key={query.data.version} responder={query.data} />
  return (
    <Page title={t('DNS responder')}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function Editor({ responder }: { responder: OutputOf<typeof ordering.calls.responder> }) {
  const navigate = useNavigate()
  const { id, version } = responder
  return (
    <Page title={responder.name}>
      <Stack gap="md">
        <LongForm
          call={ordering.calls.changeResponder}
          initial={valuesOf(responder)}
          toInput={({ settings, secret, ...rest }: ResponderValues) => ({
            ...rest,
            settings: settingsOf(settings),
            id,
            version,
            ...(secret === '' ? {} : { secret }),
          })}
          submit={t('Save responder')}
          cancel={{ label: t('Cancel'), to: respondersTab() }}
          onDone={() => navigate(respondersTab())}
        >
          {(form) => <ResponderFields form={form} isNew={false} />}
        </LongForm>
        <Trial id={id} />
      </Stack>
    </Page>
  )
}

function Trial({ id }: { id: string }) {
  const [outcome, setOutcome] = useState<OutputOf<typeof ordering.calls.tryResponder>>()
  return (
    <Section title={t('Try it')} intro={t('Puts a TXT record below a name and takes it out again.')}>
      <Form call={ordering.calls.tryResponder} initial={{ id, name: '' }} submit={t('Try name')} guard={false} quiet onDone={setOutcome}>
        {(form) => <TextField {...form.field('name')} label={t('Name')} hint={t('Such as www.example.org')} required />}
      </Form>
      {outcome !== undefined && (
        <Alert mt="sm" color={outcome.ok ? 'green' : 'red'} variant="light" title={outcome.ok ? t('It works') : t('It does not work')}>
          {t(outcome.says)}
        </Alert>
      )}
    </Section>
  )
}
