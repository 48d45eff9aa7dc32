import type { ScreenExample } from '#core/testing/examples.ts'
import { timesheets } from './contract.ts'

const ownWeek: ScreenExample = async (administrator) => {
  const { userId, week } = await administrator.call(timesheets.calls.week, {})
  return { '*': `${userId}/${week}` }
}

export const examples = { view: ownWeek }
