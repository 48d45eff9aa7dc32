import { useNavigate } from 'react-router'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { smartcards } from '../contract.ts'
import { CardTemplateFields, inputOf, newSlot, type CardTemplateValues, type Choices } from './CardTemplateFields.tsx'

const initialOf = (templates: Choices): CardTemplateValues => ({
  name: '',
  slots: [newSlot('9A', templates)],
  validityMonths: 36,
  enabled: true,
  attested: false,
})

export function AddCardTemplate() {
  const navigate = useNavigate()
  const choices = useCall(smartcards.calls.choices, {})
  const list = to(smartcards.screens.templates)
  return (
    <Page title={t('New template of cards')} narrow>
      <Loaded query={choices}>
        {({ templates }) =>
          templates.length === 0 ? (
            <EmptyState
              title={t('No template for people')}
              text={t('A card needs a certificate template of the class “User” for keys that cards can make. Make one first.')}
            />
          ) : (
            <Form
              call={smartcards.calls.addTemplate}
              initial={initialOf(templates)}
              toInput={(values: CardTemplateValues) => inputOf(values)}
              submit={t('Add template')}
              cancel={{ label: t('Cancel'), to: list }}
              onDone={() => navigate(list)}
            >
              {(form) => <CardTemplateFields form={form} templates={templates} />}
            </Form>
          )
        }
      </Loaded>
    </Page>
  )
}
