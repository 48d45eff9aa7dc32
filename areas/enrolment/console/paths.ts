import { to } from '#core/contract/paths.ts'
import { enrolment } from '../contract.ts'

/** Where the id stands: an id is a UUID, so the word is free. */
export const newRule = 'new'

export const listPath = to(enrolment.screens.rules)
export const rulePath = (id: string): string => `${listPath}?rule=${id}`
