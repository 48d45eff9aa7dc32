import { to } from '#core/contract/paths.ts'
import { templates } from '../contract.ts'

/** Where the id stands: an id is a UUID, so the word is free. */
export const newTemplate = 'new'

export const listPath = (): string => to(templates.screens.manage)
export const templatePath = (id: string): string => to(templates.screens.manage, { id })
export const createPath = (preset?: string): string => to(templates.screens.manage, { id: newTemplate }, { preset })
