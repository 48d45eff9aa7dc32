import { Table, Text } from '@mantine/core'
import type { OutputOf } from '#core/contract/contract.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { certificates } from '../contract.ts'

/** What those said who were asked, void votes too. */
export function Votes({ votes }: { votes: OutputOf<typeof certificates.calls.approval>['votes'] }) {
  if (votes.length === 0) return <Text c="dimmed">{t('Nobody has voted yet.')}</Text>
  return (
    <Table.ScrollContainer minWidth={360}>
      <Table aria-label={t('Votes')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('Who')}</Table.Th>
            <Table.Th scope="col">{t('Vote')}</Table.Th>
            <Table.Th scope="col">{t('Comment')}</Table.Th>
            <Table.Th scope="col">{t('When')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {votes.map((vote) => (
            <Table.Tr key={vote.voter + vote.at}>
              <Table.Td>{vote.voter}</Table.Td>
              <Table.Td>{vote.void ? <Status of="cancelled" label={t('Void: the request was changed')} /> : <Status of={vote.verdict === 'approve' ? 'approved' : 'denied'} />}</Table.Td>
              <Table.Td>{vote.comment}</Table.Td>
              <Table.Td>
                <DateTime at={vote.at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
