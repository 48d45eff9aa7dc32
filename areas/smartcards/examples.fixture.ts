import { sessions } from '#areas/sessions/contract.ts'
import type { ScreenExample, ScreenExamples } from '#core/testing/examples.ts'
import { smartcards } from './contract.ts'
import { connectClient, inReader, newCard } from './server/desk.fixture.ts'

const addTemplate = async ({ call }: Parameters<ScreenExample>[0]): Promise<string> => {
  const { templates } = await call(smartcards.calls.choices, {})
  const slots = [{ slot: '9A' as const, algorithm: 'P-256' as const, templateId: templates[0]?.templateId ?? '' }]
  return (await call(smartcards.calls.addTemplate, { name: `Example ${crypto.randomUUID()}`, slots })).id
}

/** Only a security client brings cards. This one is to be the administrator's own. */
const view: ScreenExample = async (administrator) => {
  const client = await connectClient(administrator, `example ${crypto.randomUUID().slice(0, 8)}`)
  try {
    client.insert(newCard({ serial: 20_000_000 + Math.floor(Math.random() * 60_000_000) }))
    const { cardId, serial } = await administrator.call(smartcards.calls.register, { card_id: inReader })
    const { viewer } = await administrator.call(sessions.calls.bootstrap, {})
    await administrator.call(smartcards.calls.assign, {
      card_id: { serial },
      user_id: viewer?.id ?? '',
      card_template_id: await addTemplate(administrator),
    })
    return { smartcardId: cardId }
  } finally {
    client.link.close()
    await client.ended
  }
}

const editTemplate: ScreenExample = async (administrator) => ({ smartcardConfigID: await addTemplate(administrator) })

const edit: ScreenExample = async (administrator) => ({ smartcardID: (await view(administrator))['smartcardId'] ?? '' })

export const examples = { view, edit, editTemplate } satisfies ScreenExamples
