import { useNavigate, useParams } from 'react-router'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { smartcards } from '../contract.ts'
import { CardTemplateFields, inputOf, type CardTemplateValues } from './CardTemplateFields.tsx'

export function EditCardTemplate() {
  const { smartcardConfigID: id = '' } = useParams()
  const navigate = useNavigate()
  const choices = useCall(smartcards.calls.choices, {})
  const query = useCall(smartcards.calls.template, { id })
  const list = to(smartcards.screens.templates)
  return (
    <Page title={query.data?.name ?? t('Template of cards')} narrow>
      <Loaded query={choices}>
        {({ templates }) => (
          <Loaded query={query}>
            {({ name, slots, validityMonths, enabled, attested, version }) => (
              <Form
                key={version}
                call={smartcards.calls.changeTemplate}
                initial={{ name, slots, validityMonths, enabled, attested }}
                toInput={(values: CardTemplateValues) => ({ id, version, ...inputOf(values) })}
                submit={t('Save template')}
                cancel={{ label: t('Cancel'), to: list }}
                onDone={() => navigate(list)}
              >
                {(form) => <CardTemplateFields form={form} templates={templates} />}
              </Form>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}
