import type { ScreenExample, ScreenExamples } from '#core/testing/examples.ts'
import { smartcards } from './contract.ts'
import { connectClient, inReader, newCard } from './server/desk.fixture.ts'

/** Only a security client brings cards. */
const view: ScreenExample = async (administrator) => {
  const client = await connectClient(administrator, `example ${crypto.randomUUID().slice(0, 8)}`)
  try {
    client.insert(newCard({ serial: 20_000_000 + Math.floor(Math.random() * 60_000_000) }))
    const { cardId } = await administrator.call(smartcards.calls.register, { card_id: inReader })
    return { smartcardId: cardId }
  } finally {
    client.link.close()
    await client.ended
  }
}

const editTemplate: ScreenExample = async (administrator) => {
  const { templates } = await administrator.call(smartcards.calls.choices, {})
  const { id } = await administrator.call(smartcards.calls.addTemplate, {
    name: `Example ${crypto.randomUUID()}`,
    slots: [{ slot: '9A', algorithm: 'P-256', templateId: templates[0]?.templateId ?? '' }],
  })
  return { smartcardConfigID: id }
}

export const examples = { view, editTemplate } satisfies ScreenExamples
