import { expect, test } from 'vitest'
import { planOf } from './rules.ts'

test.each([
  ['* * * * *', { says: 'Every minute', values: {} }],
  ['*/5 * * * *', { says: 'Every {minutes} minutes', values: { minutes: 5 } }],
  ['17 * * * *', { says: 'Hourly, at minute {minute}', values: { minute: 17 } }],
  ['3 4 * * *', { says: 'Daily at {time} UTC', values: { time: '04:03' } }],
  ['0 0 1 1 *', { says: '{expression} (cron, UTC)', values: { expression: '0 0 1 1 *' } }],
])('the plan %s has words', (every, plan) => expect(planOf(every)).toEqual(plan))
