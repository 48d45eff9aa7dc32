// Pages of rooms above that people without an account open by the same address; the page of requests links to them.

import { slot } from '#core/contract/slots.ts'

/** A public screen by its room and name; its address gets the code. */
export type PortalPage = { label: string; hint: string; area: string; screen: string }

export const portalPages = slot<PortalPage>('portal: further pages for people without an account')
