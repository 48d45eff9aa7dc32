import { contract } from '#core/contract/contract.ts'

/** Keys have no door of their own: they are made with what they are for, and its record names them. */
export const keys = contract({ area: 'keys' })
