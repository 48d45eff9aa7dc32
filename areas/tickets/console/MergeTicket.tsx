import { useNavigate } from 'react-router'
import { NumberField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { tickets } from '../contract.ts'

type Values = { into: number | undefined }

export function MergeTicket({ ticketId }: { ticketId: number }) {
  const navigate = useNavigate()
  return (
    <Section
      title={t('Merge into another ticket')}
      intro={t('Its messages move into the other ticket of the same requester, and this one is closed. Its files stay here.')}
    >
      <Form
        call={tickets.calls.merge}
        initial={{ into: undefined } satisfies Values as Values}
        toInput={({ into }: Values) => ({ ticketId, into: into ?? 0 })}
        submit={t('Merge tickets')}
        onDone={async (answer) => navigate(to(tickets.screens.view, { id: String(answer.ticketId) }))}
      >
        {(form) => <NumberField {...form.field('into')} label={t('Number of the other ticket')} min={1} required />}
      </Form>
    </Section>
  )
}
