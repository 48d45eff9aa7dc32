import { SimpleGrid } from '@mantine/core'
import { useNavigate } from 'react-router'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { passes } from '../contract.ts'
import { IssueFields, issueInput, type IssueValues } from './IssueFields.tsx'

type Values = IssueValues & { givenName?: string; lastName?: string }

export function IssueGuest() {
  const navigate = useNavigate()
  const query = useCall(passes.calls.days, {})
  const back = to(passes.screens.manage)
  return (
    <Page title={t('Issue a guest pass')} narrow>
      <Loaded query={query}>
        {({ today, timeZone }) => (
          <Form
            call={passes.calls.assignGuest}
            initial={{ passNumber: '', givenName: '', lastName: '', validDate: today, expirationDate: today } as Values}
            toInput={({ givenName = '', lastName = '', ...values }: Values) => ({ ...issueInput(values, timeZone), givenName, lastName })}
            submit={t('Issue pass')}
            cancel={{ label: t('Cancel'), to: back }}
            onDone={() => navigate(back)}
          >
            {(form) => (
              <>
                <Section title={t('Guest')}>
                  <SimpleGrid cols={{ base: 1, xs: 2 }}>
                    <TextField {...form.field('givenName')} label={t('Given name')} autoComplete="off" required />
                    <TextField {...form.field('lastName')} label={t('Family name')} autoComplete="off" required />
                  </SimpleGrid>
                </Section>
                <IssueFields form={form} type="guest" today={today} timeZone={timeZone} />
              </>
            )}
          </Form>
        )}
      </Loaded>
    </Page>
  )
}
