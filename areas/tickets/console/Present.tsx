import { Text } from '@mantine/core'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { tickets } from '../contract.ts'

const everyFewSeconds = 8_000

/** Who else of those who handle tickets looks at this one, so that two do not answer at once. */
export function Present({ ticketId, writing }: { ticketId: number; writing: boolean }) {
  const { data } = useCall(tickets.calls.presence, { ticketId, writing }, { refetchMilliseconds: everyFewSeconds })
  return (
    <div aria-live="polite">
      {data?.people.map((person) => (
        <Text key={person.name} size="sm">
          {person.writing ? t('{name} is writing', { name: person.name }) : t('{name} is looking at this ticket', { name: person.name })}
        </Text>
      ))}
    </div>
  )
}
