import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useParams } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { printing } from '../contract.ts'
import { batchLabels, endedStates, pollMilliseconds, printLabels } from '../rules.ts'
import { remarksOf } from './batch-columns.tsx'
import { ChoosePrinter } from './ChoosePrinter.tsx'
import { PrintAgain } from './PrintAgain.tsx'

type Batch = OutputOf<typeof printing.calls.status>
type Card = Batch['cardList'][number]

export function PrintStatus() {
  const { id = '' } = useParams()
  const query = useCall(printing.calls.status, { id }, { refetchMilliseconds: pollMilliseconds })
  return (
    <Page title={t('Print status')}>
      <Loaded query={query}>{(batch) => <Shown batch={batch} />}</Loaded>
    </Page>
  )
}

function Shown({ batch }: { batch: Batch }) {
  const mayPrint = useMay()('smartcardBatchFilesPrint')
  const [choosing, setChoosing] = useState(false)
  const [again, setAgain] = useState<Card>()
  const stop = useSend(printing.calls.stop)
  const skip = useSend(printing.calls.skip)
  const deactivate = useSend(printing.calls.deactivate)
  const failed = (title: string) => (error: unknown) => toastFault(error, title)
  /** The cards to which something is being done: each has its own flag. */
  const [working, setWorking] = useState<readonly string[]>([])
  const doing = async (card: Card, run: () => Promise<unknown>, title: string): Promise<void> => {
    setWorking((before) => [...before, card.id])
    await run().catch(failed(title))
    setWorking((before) => before.filter((id) => id !== card.id))
  }
  const hasWaiting = batch.cardList.some(({ state }) => state === 'waiting')
  const spoil = async (card: Card) => {
    const sure = await confirm({
      title: t('Deactivate the card of {name}?', { name: card.userName }),
      consequence: t('It counts as spoilt. It can be printed again afterwards.'),
      action: t('Deactivate card'),
      keep: t('Keep card'),
    })
    if (sure) await doing(card, () => deactivate.run({ printedCardId: card.id }), t('The printed card was not deactivated'))
  }
  return (
    <Stack>
      <Section title={t('Batch')}>
        <Facts
          items={[
            { label: t('Status'), value: <Status of={batchLabels[batch.state].kind} label={t(batchLabels[batch.state].label)} /> },
            { label: t('Printed'), value: t('{printed, number} of {cards, number}', { printed: batch.printed, cards: batch.cards }) },
            { label: t('Printer'), value: batch.printer },
            { label: t('By'), value: batch.by },
          ]}
        />
        {mayPrint && (
          <Group>
            {batch.state === 'printing' ? (
              <Button
                variant="default"
                loading={stop.pending}
                onClick={() => void stop.run({ batchId: batch.id }).catch(failed(t('The batch was not stopped')))}
              >
                {t('Stop')}
              </Button>
            ) : (
              hasWaiting && <Button onClick={() => setChoosing(true)}>{t('Print batch')}</Button>
            )}
          </Group>
        )}
      </Section>
      <Section title={t('Cards')}>
        <SmallTable
          label={t('Cards')}
          rows={batch.cardList}
          rowId={({ id }) => id}
          columns={[
            { label: t('Person'), cell: ({ userName }) => userName },
            {
              label: t('Status'),
              aside: true,
              cell: ({ state }) => <Status of={printLabels[state].kind} label={t(printLabels[state].label)} />,
            },
            { label: t('Template of cards'), cell: ({ cardTemplateName }) => cardTemplateName },
            { label: t('Job'), align: 'end', cell: ({ jobId }) => jobId ?? '' },
            { label: t('Remark'), cell: (card) => <Text size="sm">{remarksOf(card)}</Text> },
            {
              label: t('Actions'),
              plain: true,
              cell: (card) =>
                mayPrint && (
                  <Group gap="xs">
                    {card.state === 'waiting' && (
                      <Button
                        size="xs"
                        variant="default"
                        loading={working.includes(card.id)}
                        onClick={() => void doing(card, () => skip.run({ printedCardId: card.id }), t('The card was not skipped'))}
                      >
                        {t('Skip')}
                      </Button>
                    )}
                    {endedStates.includes(card.state) && (
                      <Button size="xs" variant="default" onClick={() => setAgain(card)}>
                        {t('Print again')}
                      </Button>
                    )}
                    {card.state === 'printed' && (
                      <Button size="xs" variant="default" loading={working.includes(card.id)} onClick={() => void spoil(card)}>
                        {t('Deactivate')}
                      </Button>
                    )}
                  </Group>
                ),
            },
          ]}
        />
      </Section>
      {again !== undefined && <PrintAgain card={again} onClose={() => setAgain(undefined)} />}
      {choosing && <ChoosePrinter batchId={batch.id} onClose={() => setChoosing(false)} />}
    </Stack>
  )
}
