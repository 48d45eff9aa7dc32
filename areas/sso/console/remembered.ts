// The provider by which somebody last signed in with this browser, so that its button stands on the sign-in page. It tells nothing but that.

import * as z from 'zod'

const key = 'chancery.sso'
const Remembered = z.object({ id: z.string().regex(/^[\w-]{8,40}$/), name: z.string().max(80) })
export type Remembered = z.output<typeof Remembered>

export function rememberProvider(provider: Remembered): void {
  try {
    localStorage.setItem(key, JSON.stringify(provider))
  } catch {
    // Without storage the button is not there.
  }
}

export function rememberedProvider(): Remembered | undefined {
  try {
    return Remembered.safeParse(JSON.parse(localStorage.getItem(key) ?? 'null')).data
  } catch {
    return undefined
  }
}
