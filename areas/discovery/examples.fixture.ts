import type { ScreenExample } from '#core/testing/examples.ts'

const network: ScreenExample = async () => ({ provider: 'network' })

export const examples = { config: network }
