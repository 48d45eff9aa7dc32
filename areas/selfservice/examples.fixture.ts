import type { ScreenExample } from '#core/testing/examples.ts'

const standard: ScreenExample = async () => ({ id: 'standard' })

export const examples = { requestSmartcard: standard }
