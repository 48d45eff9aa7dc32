import type { ScreenExample } from '#core/testing/examples.ts'

const nowhere: ScreenExample = async () => ({ ca: '019a0000-0000-7000-8000-000000000000', id: '019a0000-0000-7000-8000-000000000001' })

export const examples = { place: nowhere }
