// Number and days of a pass. The same ones a positive and a guest pass have.

import { SimpleGrid, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { DateField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { passes } from '../contract.ts'
import { endOfDay, passNumberOf, startOfDay, statusLabels, type PassKind } from '../rules.ts'
import { PassStatus } from './PassStatus.tsx'

export type IssueValues = { passNumber: string; validDate: string | undefined; expirationDate: string | undefined }

/** What the calls take: five digits, the start of the first day and the end of the last one in the time zone of the tenancy. */
export const issueInput = ({ passNumber, validDate, expirationDate }: IssueValues, timeZone: string) => ({
  passNumber: passNumber.trim() === '' ? '' : passNumberOf(passNumber),
  validDate: validDate === undefined || validDate === '' ? '' : startOfDay(validDate, timeZone).toISOString(),
  expirationDate: expirationDate === undefined || expirationDate === '' ? '' : endOfDay(expirationDate, timeZone).toISOString(),
})

export function IssueFields({
  form,
  type,
  today,
  timeZone,
}: {
  form: FormKit<IssueValues>
  type: PassKind
  today: string
  timeZone: string
}) {
  return (
    <Section title={t('Pass')}>
      <TextField
        {...form.field('passNumber')}
        label={t('Pass number')}
        hint={t('As it stands on the pass. Zeros in front can be left out.')}
        autoComplete="off"
        required
      />
      <Availability type={type} typed={form.values.passNumber} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <DateField {...form.field('validDate')} label={t('First day')} hint={t('From the start of the day.')} required />
        <DateField
          {...form.field('expirationDate')}
          label={t('Last day')}
          hint={t('Until 23:59:59, time zone {timeZone}.', { timeZone })}
          min={today}
          required
        />
      </SimpleGrid>
    </Section>
  )
}

function Availability({ type, typed }: { type: PassKind; typed: string }) {
  const [text] = useDebouncedValue(typed.trim(), 200)
  const isNumber = /^\d{1,5}$/.test(text)
  const { data } = useCall(passes.calls.availability, { type, passNumber: passNumberOf(text) }, { enabled: isNumber })
  const [status] = isNumber ? (data ?? []) : []
  return (
    <div role="status">
      {status !== undefined &&
        (status === 'otherKind' || status === 'unknown' ? (
          <Text size="sm" c="var(--chancery-bad)">
            {t(statusLabels[status])}
          </Text>
        ) : (
          <PassStatus of={status} />
        ))}
    </div>
  )
}
