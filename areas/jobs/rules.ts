// A job's plan in words. The plans are ours, so only the forms that we use have words; any other cron expression is shown as it is.

export type Plan = { says: string; values: Record<string, string | number> }

const twoDigits = (text: string): string => text.padStart(2, '0')

const forms: readonly { form: RegExp; says: string; values(match: readonly string[]): Plan['values'] }[] = [
  { form: /^\* \* \* \* \*$/, says: 'Every minute', values: () => ({}) },
  { form: /^\*\/(\d+) \* \* \* \*$/, says: 'Every {minutes} minutes', values: ([, minutes = '']) => ({ minutes: Number(minutes) }) },
  { form: /^(\d+) \* \* \* \*$/, says: 'Hourly, at minute {minute}', values: ([, minute = '']) => ({ minute: Number(minute) }) },
  {
    form: /^(\d+) (\d+) \* \* \*$/,
    says: 'Daily at {time} UTC',
    values: ([, minute = '', hour = '']) => ({ time: `${twoDigits(hour)}:${twoDigits(minute)}` }),
  },
]

export function planOf(every: string): Plan {
  for (const { form, says, values } of forms) {
    const match = form.exec(every)
    if (match !== null) return { says, values: values(match) }
  }
  return { says: '{expression} (cron, UTC)', values: { expression: every } }
}
