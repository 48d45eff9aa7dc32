import { Alert } from '@mantine/core'
import { useNavigate } from 'react-router'
import { usePersonSearch } from '#areas/users/person-search.tsx'
import { SelectField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { passes } from '../contract.ts'
import { IssueFields, issueInput, type IssueValues } from './IssueFields.tsx'

type Values = IssueValues & { userID?: string | undefined }

export function IssuePositive() {
  const navigate = useNavigate()
  const query = useCall(passes.calls.days, {})
  const { options, onSearch } = usePersonSearch()
  const back = to(passes.screens.manage)
  return (
    <Page title={t('Issue a positive pass')} narrow>
      <Loaded query={query}>
        {({ today, timeZone }) => (
          <Form
            call={passes.calls.assignPositive}
            initial={{ passNumber: '', userID: undefined, validDate: today, expirationDate: today } as Values}
            toInput={({ userID, ...values }: Values) => ({ ...issueInput(values, timeZone), userID: userID ?? '' })}
            submit={t('Issue pass')}
            cancel={{ label: t('Cancel'), to: back }}
            onDone={() => navigate(back)}
          >
            {(form) => (
              <>
                <Section title={t('Person')}>
                  <SelectField
                    {...form.field('userID')}
                    label={t('Person')}
                    hint={t('Type a part of a name')}
                    options={options}
                    onSearch={onSearch}
                    required
                  />
                  {form.values.userID !== undefined && <Held userId={form.values.userID} />}
                </Section>
                <IssueFields form={form} type="positive" today={today} timeZone={timeZone} />
              </>
            )}
          </Form>
        )}
      </Loaded>
    </Page>
  )
}

/** What the person has already: it ends as the new one begins. */
function Held({ userId }: { userId: string }) {
  const { data: rows = [] } = useCall(passes.calls.ofPerson, { userId })
  if (rows.length === 0) return null
  const numbers = rows.map(({ passNumber }) => passNumber).join(', ')
  return (
    <Alert color="yellow">
      {t(
        'This person has {count, plural, one {the pass} other {the passes}} {numbers}. What is good still ends as the new one begins: take it back',
        {
          count: rows.length,
          numbers,
        },
      )}
    </Alert>
  )
}
