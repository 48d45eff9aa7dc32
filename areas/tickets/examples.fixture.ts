import type { ScreenExample } from '#core/testing/examples.ts'
import { tickets } from './contract.ts'

const newOne: ScreenExample = async (administrator) => {
  const { ticketId } = await administrator.call(tickets.calls.add, {
    title: 'The card reader is not found',
    category: 'Bug',
    description: 'It worked on Friday. Since then the page says that there is no reader.',
  })
  await administrator.call(tickets.calls.addMessage, { ticketId, messageContent: 'Another reader is not found either.' })
  return { id: String(ticketId) }
}

export const examples = { view: newOne, edit: newOne }
