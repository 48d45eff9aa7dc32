import * as z from 'zod'

/** Whose name, colour and support address a page before sign-in bears, as soon as it is known whose it is. */
export const Brand = z.object({
  name: z.string(),
  bannerColour: z.string(),
  supportEmail: z.string(),
  /** Logo and band of the host, where it is one of this tenancy's; empty otherwise, so that nobody sees those of another. */
  look: z.object({
    icon: z.string().optional(),
    logoContainsAppName: z.boolean().optional(),
    bandColour: z.string().optional(),
    bandText: z.string().optional(),
  }),
})
