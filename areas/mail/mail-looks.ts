// Where the room of branding says how mail of a tenancy looks.

import { slot } from '#core/contract/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export type MailLook = {
  /** Stands before the tenancy's own name; empty for none. */
  name: string
  primaryColour: string
  secondaryColour: string
  tertiaryColour: string
  /** A data URL; empty for none. */
  icon: string
  logoContainsAppName: boolean
}

export const mailLooks = slot<(tenancy: Tenancy) => Promise<MailLook | undefined>>('mail looks: how the mail of a tenancy looks')
