// The fields of a ticket. The same ones add and edit.

import { useMay } from '#core/console/bootstrap.ts'
import { SelectField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { t } from '#core/console/text.ts'
import { categories, choiceWords, priorities, type Category, type Priority, type Status } from '../rules.ts'

export type TicketValues = {
  title: string
  category: Category
  description: string
  priority?: Priority | undefined
  ticketStatus?: Status | undefined
}

export function TicketFields({ form }: { form: FormKit<TicketValues> }) {
  const may = useMay()
  return (
    <>
      <TextField {...form.field('title')} label={t('Title')} hint={t('Enter a descriptive title for your ticket')} autoFocus required />
      <SelectField
        {...form.field('category')}
        label={t('Category')}
        options={categories.map((value) => ({ value, label: t(choiceWords[value].label) }))}
        required
      />
      <TextAreaField
        {...form.field('description')}
        label={t('Description')}
        hint={t('Steps to reproduce, error messages and requirements')}
        rows={8}
        required
      />
      {may('ticketEdit') && (
        <SelectField
          {...form.field('priority')}
          label={t('Priority')}
          options={priorities.map((value) => ({ value, label: t(choiceWords[value].label) }))}
        />
      )}
    </>
  )
}
