import { SimpleGrid } from '@mantine/core'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { usePersonSearch } from '#areas/users/person-search.tsx'
import { DateField, SelectField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { visitors } from '../contract.ts'

type Values = {
  name: string
  company: string
  emailAddress: string
  hostId: string
  from: string | undefined
  until: string | undefined
  purpose: string
}

/** `2026-03-31T09:00` of this place, as the field gives it. */
const local = (date: Date): string => new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
const instant = (text: string | undefined): string => (text === undefined || text === '' ? '' : new Date(text).toISOString())

export function AddVisit() {
  const navigate = useNavigate()
  const { options, onSearch } = usePersonSearch()
  const [initial] = useState((): Values => {
    const now = new Date()
    const times = { from: local(now), until: local(new Date(now.getTime() + 8 * 3_600_000)) }
    return { name: '', company: '', emailAddress: '', hostId: '', purpose: '', ...times }
  })
  return (
    <Page title={t('New visit')} narrow>
      <Form
        call={visitors.calls.add}
        initial={initial}
        toInput={({ from, until, ...values }: Values) => ({ ...values, from: instant(from), until: instant(until) })}
        submit={t('Plan visit')}
        cancel={{ label: t('Cancel'), to: to(visitors.screens.list) }}
        onDone={({ id }) => navigate(to(visitors.screens.visit, { id }))}
      >
        {(form) => (
          <>
            <TextField {...form.field('name')} label={t('Visitor')} required autoFocus />
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <TextField {...form.field('company')} label={t('Company')} />
              <TextField {...form.field('emailAddress')} label={t('E-mail address')} />
              <DateField {...form.field('from')} label={t('From')} withTime />
              <DateField {...form.field('until')} label={t('Until')} withTime />
            </SimpleGrid>
            <SelectField
              {...form.field('hostId')}
              label={t('Host of the visit')}
              hint={t('Type a part of a name')}
              options={options}
              onSearch={onSearch}
              onChange={(value) => form.set('hostId', value ?? '')}
              required
            />
            <TextAreaField {...form.field('purpose')} label={t('Purpose')} rows={2} />
          </>
        )}
      </Form>
    </Page>
  )
}
