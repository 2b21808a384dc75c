//! Names that a script imports through its project's settings.

use expect_test::{Expect, expect};

use super::check;

const MONOREPO: &str = "\
//- tsconfig.base.json
{ \"compilerOptions\": { \"baseUrl\": \".\", \"paths\": { \"@app/*\": [\"apps/*/src\"] } } }
//- apps/shop/tsconfig.json
{
  // its own
  \"extends\": \"../../tsconfig.base.json\",
  \"compilerOptions\": { \"paths\": { \"~ui\": [\"./widgets/all.ts\"], \"#/*\": [\"./deep/er/*\"], }, },
}
//- apps/shop/widgets/all.ts
export function button() {}
//- apps/shop/deep/er/cart.ts
export function total() {}
//- apps/admin/src/index.ts
export function total() {}
export function admin() {}
//- shared/money.ts
export function total() {}
//- packages/api/package.json
{ \"name\": \"@acme/api\", \"exports\": { \".\": { \"import\": \"./dist/main.js\" }, \"./calls\": \"./src/rpc.ts\" } }
//- packages/api/src/main.ts
export function connect() {}
//- packages/api/src/rpc.ts
export function connect() {}
";

#[test]
fn script_names_by_the_settings_of_the_project() {
    let script = |name: &str, path: &str, expect: Expect| {
        let place = format!("{}ˇ{}", &name[..1], &name[1..]);
        let file = format!("import {{ {name} }} from \"{path}\";\n{place}();\n");
        check(&format!("{MONOREPO}//- apps/shop/src/in/a.ts\n{file}"), expect);
    };
    script(
        "button",
        "~ui",
        expect![[r#"
        apps/shop/widgets/all.ts:1 `export function button()` (imported)
    "#]],
    );
    script(
        "total",
        "#/cart",
        expect![[r#"
        apps/shop/deep/er/cart.ts:1 `export function total()` (imported)
        apps/admin/src/index.ts:1 `export function total()` (in the workspace)
        shared/money.ts:1 `export function total()` (in the workspace)
    "#]],
    );
    script(
        "admin",
        "@app/admin",
        expect![[r#"
        apps/admin/src/index.ts:2 `export function admin()` (imported)
    "#]],
    );
    script(
        "total",
        "shared/money",
        expect![[r#"
        shared/money.ts:1 `export function total()` (imported)
        apps/shop/deep/er/cart.ts:1 `export function total()` (in the workspace)
        apps/admin/src/index.ts:1 `export function total()` (in the workspace)
    "#]],
    );
    script(
        "connect",
        "@acme/api",
        expect![[r#"
        packages/api/src/main.ts:1 `export function connect()` (imported)
        packages/api/src/rpc.ts:1 `export function connect()` (in the workspace)
    "#]],
    );
    script(
        "connect",
        "@acme/api/calls",
        expect![[r#"
        packages/api/src/rpc.ts:1 `export function connect()` (imported)
        packages/api/src/main.ts:1 `export function connect()` (in the workspace)
    "#]],
    );
}
