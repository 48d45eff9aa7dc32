import type { ListQuestion } from '#core/console/kit/list.ts'
import type { tickets } from '../contract.ts'

export const mineKey = 'tickets.mine'
export const allKey = 'tickets.all'

/** Rows on a page until the person chooses, of the specified 10. */
const pageSize = 10

/** What a list of tickets asks for. Whose it shows stands in the address, so that each view is a link. */
export const question = (key: string) =>
  ({
    key,
    sort: 'updatedAt',
    direction: 'desc',
    size: pageSize,
    filters: { whose: {}, createdBy: {}, assignedTo: {}, status: { many: true }, category: { many: true }, priority: { many: true } },
  }) as const satisfies ListQuestion<typeof tickets.calls.search>
