// The document's title of a route; React moves it to the head.

export function PageTitle({ title }: { title: string }) {
  return <title>{`${title} · Chancery`}</title>
}
