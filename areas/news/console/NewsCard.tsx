// The news as a card, with the button that puts it away.

import { Button, Group, Stack } from '@mantine/core'
import { HomeCard } from '#core/console/kit/HomeCard.tsx'
import { Markdown } from '#core/console/kit/Markdown.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { seen } from './news-calls.ts'

export function NewsCard({ version, markdownString }: { version: string; markdownString: string }) {
  const put = useSend(seen, { quiet: true, invalidates: ['home'] })
  return (
    <HomeCard>
      <Stack gap="md">
        <Markdown text={t(markdownString)} />
        <Group>
          <Button
            variant="light"
            loading={put.pending}
            onClick={() => void put.run({ version }).catch((error: unknown) => toastFault(error))}
          >
            {t('Do not show this again')}
          </Button>
        </Group>
      </Stack>
    </HomeCard>
  )
}
