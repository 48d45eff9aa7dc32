import type { ScreenExample } from '#core/testing/examples.ts'

const mine: ScreenExample = async () => ({ userID: 'me' })

export const examples = { list: mine }
