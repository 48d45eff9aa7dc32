import { acme } from '#areas/acme/contract.ts'
import { to } from '#core/contract/paths.ts'

export const externalTab = (): string => to(acme.screens.config, {}, { tab: 'external' })
export const respondersTab = (): string => to(acme.screens.config, {}, { tab: 'responders' })
