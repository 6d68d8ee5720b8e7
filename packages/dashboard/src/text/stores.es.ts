import type { Text } from './en.ts';
import { counted, number } from './locale.ts';

const storesOf = (n: number) => counted(n, { one: 'tienda', other: 'tiendas' });

export const stores = {
  nothing: 'Todavía no hay tiendas.',
  stores: {
    asOf: (ago) => `Estas cifras son de ${ago}. Se están cargando las nuevas.`,
    insideNow: 'Dentro ahora',
    inside: 'dentro',
    visitors: 'visitantes',
    store: 'Tienda',
    change: 'Variación',
    before: (n, compare, isToday) =>
      isToday
        ? `${n} a esta hora ${{ weekdays: 'hace una semana', previous: 'del día anterior', year: 'hace un año' }[compare]}`
        : `${n} ${{ weekdays: 'en los mismos días de la semana anteriores', previous: 'en el periodo anterior', year: 'un año antes' }[compare]}`,
    compared: (visitors, n) =>
      `${visitors} sin ${counted(n, { one: 'tienda más reciente', other: 'tiendas más recientes' })}`,
    incomplete: 'Faltan cifras',
    noData: 'Aún no hay datos',
    incompleteStores: (n) => `las cifras de ${storesOf(n)} están incompletas`,
    closedStores: (n) => `${counted(n, { one: 'cerrada', other: 'cerradas' })} ahora`,
    closedNow: (n) => `Cerradas ahora: ${storesOf(n)}`,
    theirVisitors: (n) => `Visitantes: ${n}`,
    troubleStores: (n) =>
      n === 0
        ? 'todos los contadores funcionan bien'
        : `${counted(n, { one: 'requiere', other: 'requieren' })} atención`,
    trouble: (n) => `Requieren atención: ${storesOf(n)}`,
    search: 'Buscar tiendas',
    group: 'Grupo',
    allGroups: 'Todos los grupos',
    sort: 'Orden',
    sorts: {
      attention: 'Requieren atención primero',
      visitors: 'Más visitantes',
      change: 'Mayor crecimiento',
      inside: 'Más personas dentro',
      name: 'Por nombre',
    },
    notFound: 'Ninguna tienda coincide.',
    showAll: 'Mostrar todas las tiendas',
  },
  devices: {
    heading: 'Contadores',
    search: 'Buscar contadores',
    online: 'Conectado',
    offline: 'Desconectado',
    never: 'Nunca conectado',
    seen: (time) => `última señal: ${time}`,
    follow: (n) => `${counted(n, { one: 'persona', other: 'personas' })} por enviar`,
    serial: (serial) => `Número de serie ${serial}`,
    version: (version) => `Versión ${version}`,
    trouble: (n) => `Requieren atención: ${number(n)}`,
    well: (n) => `Funcionan bien: ${number(n)}`,
    door: 'Puerta',
    notFound: 'Ningún contador coincide.',
    showAll: 'Mostrar todos los contadores',
    none: 'Todavía no hay contadores.',
  },
  wall: {
    fullScreen: 'Pantalla completa',
    leave: 'Volver',
    lost: 'Sin contacto',
    asOf: (time) => `última actualización a las ${time}`,
    wait: 'Espere, por favor',
    comeIn: 'Pase, por favor',
    all: 'Mostrar todas las tiendas',
    previous: 'Página anterior',
    next: 'Página siguiente',
    pause: 'Pausa',
    play: 'Continuar',
    page: (n, of) => `Página ${number(n)} de ${number(of)}`,
  },
} satisfies Partial<Text>;
