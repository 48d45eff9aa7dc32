import type { ScreenExample } from '#core/testing/examples.ts'

const spent: ScreenExample = async () => ({ token: 'a-link-that-was-used' })

export const examples = { reset: spent }
