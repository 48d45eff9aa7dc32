// The page of ACME has room for what rooms above do with ACME: they offer a tab, and this room need not know them.

import { offersTo } from '#core/console/rooms.ts'
import type { LazyScreen } from '#core/console/show.ts'
import { slot } from '#core/contract/slots.ts'

export type AcmeTab = { key: string; label: string; load: LazyScreen }

export const acmeTabSlot = slot<AcmeTab>('acme: tabs of the page of ACME')

export const acmeTabs = (): readonly AcmeTab[] => offersTo(acmeTabSlot)
