import { smartcards } from '#areas/smartcards/contract.ts'
import { users } from '#areas/users/contract.ts'
import type { ScreenExample, ScreenExamples } from '#core/testing/examples.ts'
import { printing } from './contract.ts'

const face: ScreenExample = async (administrator) => {
  const { templates } = await administrator.call(smartcards.calls.choices, {})
  const { id } = await administrator.call(smartcards.calls.addTemplate, {
    name: `Printed ${crypto.randomUUID()}`,
    slots: [{ slot: '9A', algorithm: 'P-256', templateId: templates[0]?.templateId ?? '' }],
  })
  const text = { kind: 'text', x: 5, y: 5, width: 60, height: 6, text: '{givenName} {familyName}' } as const
  await administrator.call(printing.calls.setFace, { cardTemplateId: id, front: { elements: [text] }, back: {} })
  return { id }
}

const status: ScreenExample = async (administrator) => {
  const { id: cardTemplateId = '' } = await face(administrator)
  const { rows } = await administrator.call(users.calls.search, {})
  const { batchId } = await administrator.call(printing.calls.addBatch, {
    users: rows.slice(0, 2).map(({ id: userId }) => ({ userId, cardTemplateId })),
  })
  return { id: batchId }
}

export const examples = { face, status } satisfies ScreenExamples
