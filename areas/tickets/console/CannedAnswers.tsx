import { Select } from '@mantine/core'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { tickets } from '../contract.ts'

/** Puts an answer that is written often into the message. Nothing where there are none. */
export function CannedAnswers({ onChoose }: { onChoose: (text: string) => void }) {
  const { data } = useCall(tickets.calls.config, {})
  const answers = data?.answers ?? []
  if (answers.length === 0) return null
  return (
    <Select
      label={t('Canned answer')}
      placeholder={t('Choose an answer')}
      data={answers.map(({ name }) => name)}
      value={null}
      searchable
      onChange={(name) => {
        const chosen = answers.find((one) => one.name === name)
        if (chosen !== undefined) onChoose(chosen.text)
      }}
    />
  )
}
