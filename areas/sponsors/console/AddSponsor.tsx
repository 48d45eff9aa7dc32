import { useState } from 'react'
import { useNavigate } from 'react-router'
import { usePersonSearch } from '#areas/users/person-search.tsx'
import { SelectField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { sponsors } from '../contract.ts'
import { SponsorFields, termsOf, type SponsorValues } from './SponsorFields.tsx'

type Values = SponsorValues & { userId?: string | undefined }

export function AddSponsor() {
  const navigate = useNavigate()
  const { options, onSearch } = usePersonSearch()
  const [from] = useState(() => new Date().toISOString())
  const initial: Values = { organisationId: undefined, from, until: undefined, most: 10, passTypes: [], note: '' }
  return (
    <Page title={t('New sponsor')} narrow>
      <Form
        call={sponsors.calls.add}
        initial={initial}
        toInput={({ userId, ...values }: Values) => ({ userId: userId ?? '', ...termsOf(values) })}
        submit={t('Add sponsor')}
        cancel={{ label: t('Cancel'), to: to(sponsors.screens.manage) }}
        onDone={() => navigate(to(sponsors.screens.manage))}
      >
        {(form) => (
          <>
            <Section title={t('Person')}>
              <SelectField
                {...form.field('userId')}
                label={t('Person')}
                hint={t('Type a part of a name')}
                options={options}
                onSearch={onSearch}
                required
              />
            </Section>
            <SponsorFields form={form} />
          </>
        )}
      </Form>
    </Page>
  )
}
